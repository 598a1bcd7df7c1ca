"""The checks of the doctor, each a function that registers itself."""
