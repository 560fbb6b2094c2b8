"""What is on a phone's screen, as numbered elements that a person could read or act on."""
