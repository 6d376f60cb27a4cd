"""The room of the server: models behind HTTP, with batching, limits and pictures.

It needs the extra `serve` (fastapi and uvicorn); nothing outside this room does.
"""
