"""How do coding agents reach clew? By the Model Context Protocol: tools, resources and prompts over stdio or HTTP."""
