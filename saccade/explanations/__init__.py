"""Questions of the lectures that a small experiment answers: a file asks one and runs it."""
