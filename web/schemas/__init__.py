"""What the API takes and gives, a file a noun: from these models ``/openapi.json`` is made."""
