"""From the samples of MPI launches to the facts about the network: one pure inference in each file."""
