"""How is a question answered?"""
