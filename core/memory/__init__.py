"""What is kept from what worked: named actions that can be replayed."""
