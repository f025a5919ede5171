import { rulesOf } from "../rule.ts";

/** Rules for what a run carries to its model calls: settings, steps, tools, limits and facts. */
export const modelCallRules = [
  ...rulesOf("Model settings", {
    "model-options.reach-model": "modelOptions of an agent, a team's orchestrator and a run reach the model",
    "model-options.precedence":
      "the run's settings go before the agent's modelOptions, these before temperature and reasoning",
    "model-options.vendor":
      "vendor options are JSON by provider id, and those of a run override the agent's one by one",
    "model-options.effort":
      "reasoning takes an effort from none to xhigh; that other vendors than OpenAI take one too is an extension of ours",
    "model-options.undefined": "a setting that is undefined overrides nothing",
    "model-options.unknown": "an unknown setting is refused with the list of those expected",
    "model-options.format-and-schema": "responseFormat beside structuredOutput is invalid_config",
    "model-options.not-inherited": "a child run does not inherit the settings of a team's run",
    "model-options.workflow": "settings of a workflow's run hold for each of its agent steps",
    "model-options.team-mode": "settings without an effect in the mode of a team are refused",
    "model-options.every-vendor":
      "every setting is in the request of every vendor in the vendor's own form, or is reported as left out",
    "model-options.vendor-fields":
      "vendor options are merged last into the request of their vendor: objects field by field, tools and include joined, all else in place of ours",
    "model-options.reasoning-off":
      "a model that always thinks and is told not to says so, as what a model does not take",
    "model-options.nearest-effort":
      "each vendor gets the nearest effort that the model has, and what cannot be turned off is reported",
    "tool-choice.first-call": "a forced tool choice holds for the first model call of a run only",
    "tool-choice.none": "with toolChoice none no tool is executed, also when the model calls one",
    "tool-choice.known": "a choice of a tool that is not there is refused",
    "model.large-bodies":
      "a large file goes to a vendor in pieces, with the length of the body, and again for another try",
    "tool-choice.vendors": "every provider sends a tool choice in its vendor's form, or says that the vendor has none",
  }),
  ...rulesOf("Prompt caching", {
    "cache.anthropic-marks":
      "a request to Claude has cache marks behind the instructions, the tools, the newest message and the user's message before it",
    "cache.own-marks":
      "marks of the caller's count first: there are never more than four, nor an order that the vendor refuses",
    "cache.option": "promptCache false sends no marks; a time of an hour holds for tools and instructions alone",
    "cache.session-key":
      "OpenAI gets one cache key for each session that a caller names: a hash that differs between owners and tells neither owner nor id",
    "cache.stable-schemas":
      "the schema of a tool has its keys in the same order each time, whatever the program has made before it",
    "cache.refused":
      "a server that refuses cache marks gets the request again without them, which is reported once, and no more marks",
    "cache.changing-facts":
      "what changes between runs stands behind tools and instructions, which every turn of a chat reads from the cache",
    "cache.stored-turns":
      "a turn comes back from every storage as the bytes that the vendor has cached, also from one that reorders members",
    "cache.tool-order": "tools of a source are sent in the order of their names, in whatever order it gives them",
    "cache.cached-content":
      "content that Gemini has cached, named in the vendor's options, stands in place of instructions and tools",
    "cache.long-sessions":
      "of a long history whole blocks of turns are left out, so that most turns of a chat read the one before from the cache",
  }),
  ...rulesOf("Model, instructions and tools of one run (contracts §1)", {
    "run-opts.model": "model of a run stands in place of the agent's or the orchestrator's, for that run alone",
    "run-opts.model-key":
      "a model of a run gets the caller's key for its own vendor alone; a generic key from outside is for the agent's vendor",
    "run-opts.instructions":
      "instructions of a run stand in place of the agent's or the team's own, and leave memory, facts and members",
    "run-opts.tools": "tools of a run stand in place of the agent's, for that run alone, and keep their caches",
    "run-opts.step-precedence":
      "prepareStep goes before the model, the instructions and the tools of a run, these before the agent's",
    "run-opts.own-not-inherited": "a child run does not inherit model, instructions and tools of its parent run",
    "run-opts.own-refused":
      "model, instructions and tools are refused where they have no meaning, and where they are wrong",
    "http.run-options-own": "runOptions gives a request's run its model, instructions and tools; no body does",
  }),
  ...rulesOf("Models for one another (contracts §5)", {
    "fallback.next":
      "fallbackModel asks the next model when one fails before its first chunk by what is retried or refused, in each call anew",
    "fallback.first-chunk": "once a chunk has come no other model is asked, and a reader that leaves ends its request",
    "fallback.all-fail": "when all models fail, the error is the last one worth a retry, else the last",
    "fallback.usage": "the usage is that of all models that were called, also in the error when none answers",
    "fallback.keys": "each vendor gets the caller's key for itself alone, in nested models too",
    "fallback.events": "model.call and model.result name the model that was called, as attempts at one call",
    "fallback.abort": "the abort of a run reaches the model that is called, and no other is asked",
    "fallback.vendor-state": "the state of a vendor is not taken for another's",
    "fallback.answered-by":
      "fallbackModel has the ids of its first model; responses and outputs have those of the one that answered",
    "fallback.refused": "fallbackModel refuses what is no model, and a single one",
  }),
  ...rulesOf("Networks and keys of providers", {
    "provider.network":
      "a provider takes headers, and a fetch, a proxy or a dispatcher, and says what a proxy that refuses did",
    "provider.key-function":
      "a key may be a function, which is called once for each model call without a key of its own",
    "ollama.embeddings": "ollamaEmbeddings turns texts into vectors, and makes a text that is too long an error",
    "provider.client": "a client of the vendor's SDK carries all requests, with the same bodies and its own key",
    "provider.client-silence":
      "a client that falls silent ends as a timeout of ours, and its request at the vendor too",
    "provider.client-call-keys":
      "a key of a call goes through a client of the SDK in the place of its own, in one header; a client with other credentials refuses it in words",
    "provider.client-keys":
      "no answer, log or event shows a key that can be read from a client, whatever its vendor says",
  }),
  ...rulesOf("Prepared steps", {
    "prepare-step.every-call":
      "prepareStep is called before every model call of a run: after tools, for repairs, and for the last call without tools",
    "prepare-step.arguments":
      "prepareStep gets the number of the call, the messages, the usage so far and the run context",
    "prepare-step.copy": "what prepareStep changes in its arguments changes nothing",
    "prepare-step.model": "prepareStep chooses the model of a call, which gets the key of its own vendor and no other",
    "prepare-step.instructions":
      "instructions of prepareStep replace the agent's for one call, and leave memory and facts",
    "prepare-step.tools": "prepareStep chooses the tools of a call; others are neither sent nor executed",
    "prepare-step.tool-choice": "toolChoice of prepareStep holds for its call",
    "prepare-step.stop": "stop ends the run as completed, with the text of the model call before",
    "prepare-step.throws": "what prepareStep throws ends the run with an error that names the call and the cause",
    "prepare-step.refused": "an unknown field or tool in the result of prepareStep is refused",
  }),
  ...rulesOf("Dynamic tools", {
    "dynamic-tools.function": "tools may be a function of the run context, called for each run",
    "dynamic-tools.source": "getTools of a tool source gets the context of the run",
    "dynamic-tools.isolated": "tools that depend on the context of a run are not served to another, nor listed",
    "dynamic-tools.checked": "wrong tools of a function, and what it throws, end the run before the model is called",
    "dynamic-tools.left-out":
      "a wrong tool of a source is left out with a warning, and the run goes on with the others",
    "dynamic-tools.changed": "a changed tool of the same name is used from the next load on",
    "dynamic-tools.caches": "a tool that is loaded again keeps its cached results, also between runs with other tools",
  }),
  ...rulesOf("Context size", {
    "context.every-call":
      "maxContextTokens holds for every model call of a run: after tools, for repairs, and for the last call",
    "context.tools-count": "the parameters of the tools count for maxContextTokens",
    "context.stays": "the system prompt, the input and the newest step stay, and no call is parted from its result",
    "context.warning": "a model call that exceeds maxContextTokens even so is made, with one warning in the run",
  }),
  ...rulesOf("Sessions and state of teams and workflows", {
    "team.sessions-listed": "the sessions of a team are listed for their user, those of its members are not",
    "workflow.failed-state":
      "the state of a failed workflow has the changes of all steps that were done, of parallel steps once all of them are",
  }),
  ...rulesOf("Types of outputs", {
    "types.finished-run": "an output that resolved has runId, sessionId, status, usage and durationMs, without a check",
    "types.structured": "structured has the type of the agent's schema",
    "types.undefined-options": "every option of a public function or class may be undefined",
    "types.failed-run": "the output of a failed run has what there is",
  }),
  ...rulesOf("Run context", {
    "run-context.tenant": "the run context has the tenant of the run, which child runs inherit",
    "run-opts.limits": "limits of a run hold for agents, teams and workflows, before the configured ones",
    "run-opts.metadata-everywhere": "metadata of a run reaches the tools of team members and the steps of workflows",
  }),
  ...rulesOf("Results of tools (contracts §5)", {
    "parts.private-urls":
      "a part whose URL leads to a private address or a local name is refused before any request, or becomes words where it is not the input; allowPrivateUrls of the provider lets it pass",
    "tools.result-parts": "images and files of a tool reach models that take them; others get words in their place",
  }),
  ...rulesOf("One wire to every vendor (architecture §5)", {
    "model-calls.second-pieces":
      "the second call, thought, detail or count of an answer is read, and goes back, like the first",
    "model-calls.absent-fields":
      "a text or arguments that a vendor leaves out or sends as null are empty, and no failure",
    "model-calls.late-pieces":
      "words, calls and reasoning that only a later event of an answer has are read from there",
    "model-calls.anything-said":
      "whatever a model writes as arguments, ids, names, text or usage, the run completes and its turn is stored, and what goes back to the vendor is well-formed",
    "model-calls.unkept-arguments":
      "a call whose arguments JSON cannot hold, or that are too long or too deep, is not executed, and the model is told why",
    "model-calls.split-characters": "a character that a stream splits between two chunks reaches readers whole",
    "model-calls.nameless-call":
      "a tool call without a name is skipped with one warning for the answer, and the rest of the answer is read",
    "usage.no-number": "a count that a vendor sends as anything but a number is absent, and no failure",
    "usage.unsound":
      "a usage that cannot be counted or stored, of a vendor or a remote agent, is left out with a warning, and the turn stands",
    "model-calls.odd-details":
      "what a vendor reports beside its answer and no storage takes is left out, and the turn stands",
    "model-calls.endless":
      "an answer that never ends is ended at a bound, with its request, and the usage so far is kept",
    "errors.context-too-long":
      "a request that is longer than its model takes fails as context_too_long, with the limit where the vendor told it, and is made once",
    "model-calls.tool-choice-ignored": "a forced tool choice that the model does not follow is warned of",
    "model-calls.no-answer": "an answer with status 200 and without content is said to be that, and no other status",
    "usage.cache-parts": "tokens read from and written to a prompt cache are told apart, both as parts of the prompt",
    "model-calls.sources":
      "pages and documents that a vendor's own tools found, or that a model cites, are sources of the output",
    "model-calls.paused":
      "an answer that a vendor paused is continued, ten times at most, and counts as one with all its tokens",
    "model-calls.altered-answers":
      "an answer with lost, doubled, moved, null, cut or joined parts never breaks a run, and is read as the vendor's library reads it",
    "model-calls.whole-for-stream":
      "a whole answer, or an error, that comes in place of a stream is taken as what it is",
    "model-calls.last-event":
      "an answer is complete without the blank line of its last event, and with any form of [DONE]",
    "model-calls.cut-stream": "a stream that was cut, or is empty, says so in its error, and may be tried again",
    "model-calls.stored-vendor-state":
      "calls of a vendor's own tools go back to the vendor with later turns of their session, and reach no other one",
    "model-calls.refused-once":
      "what a vendor refused is not sent to it again, in the run and in later turns of the session",
    "memory.vendor-state":
      "the calls of a vendor's own tools go back with the turns that are in a memory's window, read from the turns",
    "model-calls.refused-vendor-state":
      "a vendor that refuses the calls of its own tools in the history gets the text of the answers alone",
    "model-calls.second-system": "several system messages reach every vendor, in their order",
  }),
  ...rulesOf("Model options go through (architecture §5)", {
    "warnings.omitted-option":
      "an option that a model does not take is a warning at level warn and an event, once for the agent",
    "warnings.omitted-part": "a part of a message that a model does not take is a warning, once in each run",
    "warnings.replaced-option": "what the instructions stand for is no warning",
  }),
];
