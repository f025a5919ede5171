import { rulesOf } from "../rule.ts";

/** Rules for webhooks: their form, their deliveries and what they may reach. They are beyond the specification. */
export const webhookRules = rulesOf("Webhooks", {
  "webhooks.signature":
    "each request has the headers and the signature of Standard Webhooks 1.0, with one signature for each secret",
  "webhooks.facts": "the body says which run ended, failed or waits, without prompts, arguments, questions and outputs",
  "webhooks.retries": "an event is tried for a day under one id, and a receiver that is down delays no other",
  "webhooks.no-loss": "an event is delivered however often the processes die, and at whichever write",
  "webhooks.exclusion": "of several processes one at a time sends a delivery",
  "webhooks.disabled": "a receiver that answers 410 gets no more, and the host is told once",
  "webhooks.private":
    "only https addresses of public hosts, and hosts that the host lists, are notified; they are checked at each attempt",
  "webhooks.sealed": "the secret and the address of a run's webhook are in no record, log or view in the clear",
  "webhooks.bounded": "an owner has a bounded number of runs with webhooks of their own",
  "webhooks.deliveries": "the deliveries of a run are for its owner and the host, and are removed with it",
  "webhooks.callers": "a request may name a webhook only if the host allows it",
});
