"""What is built, what is missing, what disturbs measurements now."""
