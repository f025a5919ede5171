/** A tool that is to be called. */
export type PlannedCall = { readonly name: string; readonly arguments: Record<string, unknown> };

/** What the model makes of a conversation: calls of tools, or else a text. */
export type Reply = { readonly text: string; readonly calls: readonly PlannedCall[] };
