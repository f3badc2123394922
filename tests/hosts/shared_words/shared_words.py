"""A module of Hugging Face evaluate: the mean share of the references' words that the predictions have."""

import datasets
import evaluate


class SharedWords(evaluate.Metric):
    """As ``evaluate.load`` finds it in a folder of its name."""

    def _info(self):
        features = datasets.Features(
            {"predictions": datasets.Value("string"), "references": datasets.Value("string")}
        )
        return evaluate.MetricInfo(description="Shared words.", citation="", features=features)

    def _compute(self, predictions, references):
        shares = [
            len(set(prediction.lower().split()) & set(reference.lower().split()))
            / len(set(reference.lower().split()))
            for prediction, reference in zip(predictions, references, strict=True)
        ]
        return {"shared_words": sum(shares) / len(shares)}
