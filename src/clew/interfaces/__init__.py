"""How do people and agents reach us?"""
