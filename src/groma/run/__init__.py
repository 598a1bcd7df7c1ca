"""The one loop that starts what measures, follows it, keeps partial records and resumes."""
