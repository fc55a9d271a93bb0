"""CREATE SOURCE ... FROM WEBHOOK: a collection that the coordinator writes, and a shard of keys beside it where requests have some."""

from __future__ import annotations

from ...sql.plans.definition_plans import CreateWebhook
from ..catalog.items import Identity, WebhookSource
from ..results.results import Notice


def new_webhook(plan: CreateWebhook, identity: Identity) -> WebhookSource:
    return WebhookSource(
        **identity,
        schema=plan.webhook.schema,
        uses=tuple(sorted(plan.uses)),
        shard=identity["id"],
        keys=f"{identity['id']}-keys" if plan.webhook.key_header is not None else None,
        create_sql=plan.create_sql,
        webhook=plan.webhook,
        retain_history_ms=plan.retain_history_ms,
    )


def unguarded(name: str) -> Notice:
    return Notice(
        "NOTICE",
        f'source "{name}" has no CHECK: whoever reaches the HTTP port may write to it',
        "00000",
        hint="CHECK (WITH (HEADERS, BODY, SECRET s) ...) takes requests only that prove to know a secret.",
    )
