"""What do we say about databases? Snapshots, what is asked of them and what is answered."""
