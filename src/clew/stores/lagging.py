"""What does an answer say of chunks that a leg cannot find? One sentence for every store of ours."""


def without_vectors(count: int) -> str:
    """Of chunks that have no vector in the space that was searched."""
    chunks = "1 chunk has" if count == 1 else f"{count} chunks have"
    return f"{chunks} no vector of this model: only words and names find what they hold; `clew index --mode hybrid` embeds the rest"
