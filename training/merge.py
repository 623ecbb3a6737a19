"""Put what was learnt into the weights that it was learnt on."""

from pathlib import Path
from typing import Any

from peft import PeftModel
from transformers import AutoModelForCausalLM


def merge(trained: Any, base: Path, *, adapter: Path) -> Any:
    """Return the model in `base`, in its own dtype and configuration, with what was learnt.

    The trainer's model is not saved itself: it may be of another dtype, and trainers change its
    configuration. Adapters are kept in the folder `adapter`.
    """
    fresh = AutoModelForCausalLM.from_pretrained(base, dtype="auto", use_safetensors=True)
    if isinstance(trained, PeftModel):
        trained.save_pretrained(adapter)
        return PeftModel.from_pretrained(fresh, adapter).merge_and_unload()
    fresh.load_state_dict(trained.state_dict())
    return fresh
