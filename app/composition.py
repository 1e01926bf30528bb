"""Builds the stages and puts them together. Nothing heavy is imported before it is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.api.dependencies import CatalogSide, Report
from app.config import Settings

if TYPE_CHECKING:
    from app.catalog import Catalog
    from app.knowledge import Knowledge
    from app.llm.call import Caller
    from app.llm.router import ModelRouter
    from app.pipeline import Pipeline, RoutedPipeline
    from app.shared_store import SharedStore

GRAPH_FILE = "minilm.onnx"
"""Written by scripts/build_encoder_graph.py."""


def load_catalog_side(settings: Settings, report: Report, store: SharedStore | None = None) -> CatalogSide:
    """Everything that a turn cannot do without: serves from here on, by lexical search.

    Args:
        settings: where the data lies, and who reads conversations.
        report: told of each part.
        store: where a language model's answers are remembered; None: in this process.

    Raises:
        ArtifactError: a data file cannot be used.
    """
    from app.assembly import BatteryAssembler
    from app.catalog import load_catalog
    from app.knowledge import load_knowledge
    from app.llm.registry import describe_choice
    from app.pipeline import Pipeline
    from app.policy import PolicyEngine
    from app.replies import TemplateReplier
    from app.retrieval import NameIndex, Retriever, build_lexical
    from app.understanding import OfflineUnderstander

    data_dir = settings.retrieval.data_dir
    catalog = load_catalog(data_dir / "catalog.json")
    report("catalog", "loaded", f"{len(catalog)} assessments")
    knowledge = load_knowledge(data_dir / "knowledge", catalog)
    report("knowledge", "loaded", f"{len(knowledge.skills)} skills, {len(knowledge.families)} job families")
    names = NameIndex(
        (assessment.id, name)
        for assessment in catalog
        for name in (assessment.name, *knowledge.entries[assessment.id].aliases)
    )
    retriever = Retriever(build_lexical(_documents(catalog, knowledge)), names=names)
    pipeline = Pipeline(
        understander=OfflineUnderstander(catalog, knowledge, data_dir / "lexicon"),
        decider=PolicyEngine(catalog, knowledge),
        searcher=retriever,
        assembler=BatteryAssembler(catalog, knowledge),
        replier=TemplateReplier(catalog, knowledge),
    )
    report("lexical", "loaded", f"{len(catalog)} texts")
    routed = _with_model(settings, pipeline, catalog, knowledge, store)
    report("router", "loaded", describe_choice(settings))
    return CatalogSide(
        catalog=catalog,
        knowledge=knowledge,
        responder=pipeline,
        searcher=retriever,
        routed=routed,
    )


def check_model(settings: Settings) -> None:
    """Refuse a choice of language model that cannot work.

    Raises:
        ConfigError: a provider is unknown, its key or its library is missing, or recordings cannot be read.
    """
    if settings.llm_provider.strip().lower() != "offline":  # without one nothing of app.llm is imported
        from app.llm.recordings import read
        from app.llm.registry import chosen_providers

        played = any(spec.needs_recordings for spec in chosen_providers(settings))
        file = settings.llm.recordings
        if file is not None and file.exists() and (played or settings.llm.record != "off"):
            read(file)


def _with_model(
    settings: Settings,
    pipeline: Pipeline,
    catalog: Catalog,
    knowledge: Knowledge,
    store: SharedStore | None,
) -> RoutedPipeline | None:
    """The pipeline with the chosen providers in it; None offline."""
    from app.llm.registry import build_caller, chosen_providers

    specs = chosen_providers(settings)
    if not specs:
        return None
    from app.pipeline import RoutedPipeline

    return RoutedPipeline(
        pipeline, build_router(settings, pipeline, catalog, knowledge, build_caller(settings, specs, store))
    )


def build_router(
    settings: Settings, pipeline: Pipeline, catalog: Catalog, knowledge: Knowledge, caller: Caller
) -> ModelRouter:
    """The router that asks through `caller`, with the phrases that the pipeline's rules read with."""
    from app.llm.prompt import PromptBuilder
    from app.llm.reconcile import Reconciler
    from app.llm.router import ModelRouter
    from app.llm.vocabulary import Vocabulary
    from app.understanding import OfflineUnderstander

    assert isinstance(pipeline.understander, OfflineUnderstander)
    vocabulary = Vocabulary(catalog, knowledge, pipeline.understander.lexicon)
    prompts = PromptBuilder(
        vocabulary,
        history_tokens=settings.llm.history_tokens,
        max_output_tokens=settings.llm.max_output_tokens,
    )
    return ModelRouter(prompts, caller, Reconciler(vocabulary), settings.llm.reserve_s)


def load_dense_side(settings: Settings, side: CatalogSide, report: Report) -> None:
    """Attach the encoder and the stored embeddings to `side`, unless switched off.

    Raises:
        ConfigError: no encoder of that name.
        EncoderUnavailableError: its packages or its weights are not there.
        IndexMismatchError: the stored embeddings belong to other texts or another model.
    """
    name = settings.retrieval.encoder
    if name == "none":
        report("dense", "off", "switched off by RETRIEVAL__ENCODER=none")
        return
    from app.retrieval import EncoderFiles, Retriever, find_encoder, load_dense

    assert isinstance(side.searcher, Retriever)
    files = EncoderFiles(
        graph=settings.retrieval.data_dir / GRAPH_FILE, weights=settings.retrieval.weights_dir
    )
    encoder = find_encoder(name).build(files)
    encoder.encode("the first text takes longer")
    documents = _documents(side.catalog, side.knowledge)
    side.searcher.set_dense(load_dense(settings.retrieval.data_dir, documents, encoder))
    report("dense", "loaded", name)


def _documents(catalog: Catalog, knowledge: Knowledge) -> dict[str, str]:
    """The text that stands for each assessment."""
    from app.retrieval import document

    return {assessment.id: document(assessment, knowledge.entries[assessment.id]) for assessment in catalog}
