"""Skills of the default agent: folders of instructions, which it reads when it needs them."""
