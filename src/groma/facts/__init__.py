"""The facts of each kind of record: one file per kind. Nothing here measures or prints."""
