"""What can be indexed?"""
