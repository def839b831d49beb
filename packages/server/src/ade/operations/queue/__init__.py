"""What happens to runs and builds, from the request to the end."""
