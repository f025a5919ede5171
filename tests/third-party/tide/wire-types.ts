/** Part of a model's turn: its reasoning with a seal, text, or a call whose arguments are JSON. */
export type WirePart =
  | { reasoning: string; seal: string }
  | { text: string }
  | { call: { id: string; name: string; args: string } };

/** Content of a user's turn. */
export type WireContent = { text: string } | { image: { type: string; base64: string } | { url: string } };

/** Turn of a conversation. */
export type WireTurn =
  | { by: "user"; say: WireContent[] }
  | { by: "model"; parts: WirePart[] }
  | { by: "tool"; call: string; result: string };

/** Body of a request, without `stream`. JSON has no fields that are `undefined`. */
export type WireRequest = {
  model: string;
  turns: WireTurn[];
  brief?: string | undefined;
  tools?: { name: string; about: string; schema: object }[] | undefined;
  use?: "auto" | "none" | "must" | { name: string } | undefined;
  reason?: "low" | "high" | undefined;
  shape?: object | undefined;
  limit?: number | undefined;
  heat?: number | undefined;
  until?: string[] | undefined;
};

/** Event of a stream. Any field may be missing or of another type. */
export type WireEvent = { readonly t?: unknown; readonly [field: string]: unknown };
