"""How is the shipped embedding made? From permissively licensed packages, on a CPU, by `python -m training`."""
