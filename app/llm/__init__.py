"""One call to a language model a turn: providers, prompt, reading of the answer, and the rules behind it."""
