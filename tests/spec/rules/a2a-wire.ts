import { rulesOf } from "../rule.ts";

/** Rules for the versions of A2A: what is read, what is written, and which version is spoken. */
export const a2aWireRules = [
  ...rulesOf("A2A server", {
    "a2a.version-negotiation":
      "the name of a method tells the version; A2A-Version decides between 0.2 and 0.3, without its patch, and none is 0.3",
    "a2a.version-not-supported": "a version that is not spoken is refused as -32009, with any method",
    "a2a.json-rpc-frame":
      "a request that is no JSON-RPC 2.0 is refused by its code, a batch too; one without an id is answered",
    "a2a.params": "a wrong parameter is -32602, and the message names the field by its path",
    "a2a.part-one-content": "a part of 1.0 has exactly one of text, raw, url and data",
    "a2a.waits":
      "blocking of 0.x and returnImmediately of 1.0 tell if the answer waits; it waits when neither is given",
    "a2a.no-push": "a client that asks for push notifications is told that there are none",
    "a2a.no-extended-card":
      "a client that asks for an extended card where there is none is told so, in each version by its own error",
    "a2a.list-params": "a listing has pages of 1 to 100 tasks, 50 by default, and filters that are checked",
    "a2a.unknown-fields": "fields that are not known are ignored",
    "a2a.named-agent":
      "the tenant names the agent, else agent in the metadata of the message, else in that of the call",
    "a2a.error-data": "the data of an error is an array of typed details in 1.0, and our code with the fields in 0.x",
    "a2a.round-trip": "a message that is written and read again is the same in every version",
    "a2a.shapes-1": "what is written in 1.0 is read by the official SDK without loss",
    "a2a.shapes-0": "what is written in 0.x has the types of the official SDKs 0.2.5 and 0.3",
    "a2a.card-versions":
      "a card has the fields by which clients of 0.2, 0.3 and 1.0 find the agent; the one of 1.0 alone is for clients that ask for it by version or media type",
    "a2a.card-1": "a client of 1.0 gets a card with nothing of 0.x in it",
    "a2a.card-mode": "with cardMode v1 a client that names no version gets the card of 1.0, and one of 0.x its own",
    "a2a.card-0": "a card has the types of the official SDKs 0.2.5 and 0.3, with security schemes as OpenAPI has them",
    "a2a.card-security":
      "the host's securitySchemes and security stand in the card in the form of each version, and wrong ones are refused",
    "a2a.content-in": "text, files, images, audio and data of a message become the input of a run",
    "a2a.content-out": "text, images, audio, files and artifacts of a run become parts for the client",
    "a2a.stream-frames": "a frame of a stream is one event whose data is a whole JSON-RPC response on one line",
    "a2a.text-frames": "a text that is appended to an artifact is written as any other event",
    "a2a.cost-per-chunk": "a chunk of a stream costs what its text costs, at the 10,000th chunk as at the 10th",
    "a2a.error-codes": "each error has its code of JSON-RPC or A2A, and what a service hides stays hidden",
    "a2a.any-body": "any body of a request is a call, or an error with the right code",
    "a2a.requirements-1": "what is written in 1.0 meets every requirement of its table on shapes, by its id",
    "a2a.requirements-0": "what is written in 0.x meets the expectations of its test kits on shapes",
    "a2a.requirements-tasks":
      "the server meets every requirement of the table of 1.0 on sending, getting, listing and cancelling, by its id",
    "a2a.requirements-rest": "the HTTP+JSON binding meets the requirements of the table of 1.0 on it, by their ids",
    "a2a.requirements-streams": "the server meets every requirement of the table of 1.0 on streams, by its id",
    "a2a.final": "in 0.x the last status of a stream is final, also where the task waits for its client",
  }),
];
