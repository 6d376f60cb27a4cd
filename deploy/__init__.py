"""What is shipped: a container file, a systemd unit, and what is known of what lies in them."""
