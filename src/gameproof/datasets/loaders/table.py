"""All public data sets, one row each."""

from collections.abc import Mapping

from gameproof.datasets.loaders.aclsum import ACLSUM
from gameproof.datasets.loaders.base import PublicDataset
from gameproof.datasets.loaders.elife import ELIFE
from gameproof.datasets.loaders.expertqa import EXPERTQA
from gameproof.datasets.loaders.lfqa_e import LFQA_E
from gameproof.datasets.loaders.lfqa_experts import LFQA_EXPERTS
from gameproof.datasets.loaders.llmbar import LLMBAR
from gameproof.datasets.loaders.medaesqa import MEDAESQA
from gameproof.datasets.loaders.news_pairwise import NEWS_PAIRWISE
from gameproof.datasets.loaders.openreview import ICLR2026, OPENREVIEW
from gameproof.datasets.loaders.pandalm import PANDALM
from gameproof.datasets.loaders.peer_grading import PEER_GRADING_WH, PEER_GRADING_XLSK
from gameproof.datasets.loaders.reader_study import READER_STUDY
from gameproof.datasets.loaders.rose import ROSE
from gameproof.datasets.loaders.scientific import ARXIV, PUBMED
from gameproof.datasets.loaders.scitldr import SCITLDR
from gameproof.datasets.loaders.space import SPACE
from gameproof.datasets.loaders.squality import SQUALITY
from gameproof.datasets.loaders.summarize_feedback import SUMMARIZE_FEEDBACK
from gameproof.datasets.loaders.summeval import SUMMEVAL
from gameproof.datasets.loaders.summeval_op import SUMMEVAL_OP
from gameproof.datasets.loaders.topical_chat import TOPICAL_CHAT

__all__ = ["PUBLIC"]

PUBLIC: Mapping[str, PublicDataset] = {
    row.name: row
    for row in (
        SUMMEVAL,
        ROSE,
        SUMMEVAL_OP,
        SPACE,
        SQUALITY,
        SCITLDR,
        ARXIV,
        PUBMED,
        ELIFE,
        ACLSUM,
        LFQA_E,
        MEDAESQA,
        EXPERTQA,
        TOPICAL_CHAT,
        OPENREVIEW,
        ICLR2026,
        PEER_GRADING_WH,
        PEER_GRADING_XLSK,
        NEWS_PAIRWISE,
        SUMMARIZE_FEEDBACK,
        LFQA_EXPERTS,
        PANDALM,
        LLMBAR,
        READER_STUDY,
    )
}
