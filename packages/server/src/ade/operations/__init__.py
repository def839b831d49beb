"""What the product does. Operations take a transaction and never commit."""
