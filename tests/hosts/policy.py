"""A policy small enough for a CPU whose tokens are whole sentences, so that what it writes can be read and judged.

Needs torch and transformers. Its weights are random: all it knows comes from the training.
"""

from collections.abc import Sequence
from pathlib import Path

from gameproof.datasets.catalogue import load_dataset
from gameproof.text import sentences

PAD, END = "<pad>", "<end>"
CHAT = "{% for message in messages %}{{ message['content'] }}{% endfor %}"


def planted_training_set(n_tasks: int) -> list[dict]:
    """Return prompts of the planted world with their references."""
    tasks = {item.task_id: item for item in load_dataset("planted").items}
    return [
        {"prompt": f"Review {task}.", "references": list(item.references)}
        for task, item in list(tasks.items())[:n_tasks]
    ]


def make_policy(train: Sequence[dict], folder: Path):
    """Return (model, tokenizer); the vocabulary is the prompts and every sentence of the references."""
    import torch  # noqa: PLC0415 - optional
    from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: PLC0415
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: PLC0415

    known = [sentence for row in train for text in row["references"] for sentence in sentences(text)]
    names = list(dict.fromkeys([PAD, END, *(row["prompt"] for row in train), *known]))
    tokens = Tokenizer(models.WordLevel({name: n for n, name in enumerate(names)}, unk_token=PAD))
    tokens.pre_tokenizer = pre_tokenizers.Split("\n", "removed")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=tokens, pad_token=PAD, eos_token=END, unk_token=PAD, padding_side="left"
    )
    tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(names),
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=4,
            max_position_embeddings=64,
            pad_token_id=0,
            eos_token_id=1,
            bos_token_id=None,
        )
    )
    model.save_pretrained(folder)
    return model, tokenizer
