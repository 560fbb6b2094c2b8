"""Messages in, messages out: durable, in order, nothing lost."""
