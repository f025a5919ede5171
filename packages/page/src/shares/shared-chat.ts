// Types of the data that the routes of shares send and the page reads. Times are epoch milliseconds. The page is
// compiled for a browser, so this file imports nothing from core.

/** A link to a chat, without its secret. */
export type SharedLink = {
  readonly shareId: string;
  readonly sessionId: string;
  readonly title?: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The number of the last turn that is shared. */
  readonly lastTurn: number;
  /** True if the arguments and results of tools are shared too. */
  readonly hasTools: boolean;
};

/** The answer to a request that shares a session. The secret cannot be read again. */
export type NewSharedLink = { readonly share: SharedLink; readonly secret: string };

/** A part of a shared message: a text, or an image, a sound or a file without its data. */
export type SharedPart = {
  readonly type: "text" | "image" | "audio" | "file";
  readonly text?: string;
  readonly mimeType?: string;
  readonly filename?: string;
};

/** The content of a shared message. */
export type SharedContent = string | null | readonly SharedPart[];

/** A message of a shared answer. Without `hasTools`, calls have no arguments, and results have no content. */
export type SharedMessage = {
  readonly role: string;
  readonly content: SharedContent;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
  readonly toolCallId?: string;
};

/** An artifact that a tool has made for people. */
type SharedArtifact = { readonly type: string; readonly data: unknown; readonly mimeType?: string };

/** A source of a shared answer. */
type SharedSource = {
  readonly id: string;
  readonly title?: string;
  readonly url?: string;
  readonly place?: string;
  readonly passage?: string;
};

/** A turn of a shared chat. */
export type SharedTurn = {
  readonly seq: number;
  readonly runnable: string;
  readonly kind: "agent" | "team";
  readonly status: "completed" | "interrupted";
  readonly createdAt: number;
  readonly input: SharedContent;
  readonly messages: readonly SharedMessage[];
  readonly toolResults?: readonly {
    readonly toolCallId: string;
    readonly error?: string;
    readonly artifacts?: readonly SharedArtifact[];
  }[];
  readonly sources?: readonly SharedSource[];
};

/** A page of a shared chat. `next` is the cursor of the next page. */
export type SharedChat = {
  readonly title?: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly hasTools: boolean;
  readonly turns: readonly SharedTurn[];
  readonly next?: number;
};
