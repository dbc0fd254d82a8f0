"""What do we talk about? Plain frozen values and protocols; no input or output."""
