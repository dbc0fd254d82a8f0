"""How does the index stay current?"""
