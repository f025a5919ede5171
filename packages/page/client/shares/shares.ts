import { toApiError } from "@troupe-internal/client";
import type { NewSharedLink, SharedChat, SharedLink } from "../../src/shares/shared-chat.ts";
import type { Settings } from "../settings.ts";
import { Store } from "../ui/store.ts";

/** The chat whose links a dialog shows. */
export type SharedSession = { readonly sessionId: string; readonly title: string };

type ShareState = {
  /** True while the dialog of links is open. */
  readonly isOpen: boolean;
  /** The chat to share; undefined for the links of all chats. */
  readonly session: SharedSession | undefined;
};

/** The links by which the user shares chats, and the dialog that shows them. */
export class Shares extends Store<ShareState> {
  readonly #base: URL;

  constructor({ base }: Pick<Settings, "base">) {
    super({ isOpen: false, session: undefined });
    this.#base = base;
  }

  /** Opens the dialog for a chat, or for the links of all chats. */
  open(session?: SharedSession): void {
    this.set({ isOpen: true, session });
  }

  close(): void {
    this.set({ isOpen: false });
  }

  /** Returns the links of a chat, or of all chats of the user, newest first. */
  async list(sessionId: string | undefined): Promise<readonly SharedLink[]> {
    const { shares } = await this.#ask<{ shares: readonly SharedLink[] }>(`shares${queryOf(sessionId)}`);
    return shares;
  }

  /** Shares a chat. Returns the link, and its address. */
  async create(
    sessionId: string,
    { lifetimeMs, tools }: { readonly lifetimeMs: number; readonly tools: boolean },
  ): Promise<{ readonly share: SharedLink; readonly address: string }> {
    const body = JSON.stringify({ sessionId, lifetimeMs, tools });
    const headers = { "Content-Type": "application/json" };
    const { share, secret } = await this.#ask<NewSharedLink>("shares", { method: "POST", headers, body });
    return { share, address: new URL(`s/${secret}`, this.#base).href };
  }

  async revoke({ shareId, sessionId }: SharedLink): Promise<void> {
    await this.#ask(`shares/${shareId}${queryOf(sessionId)}`, { method: "DELETE" });
  }

  async #ask<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(new URL(path, this.#base), init);
    if (!response.ok) throw await toApiError(response);
    return (response.status === 204 ? undefined : await response.json()) as Answer;
  }
}

/** Reads a page of the chat whose link is the address of the document. */
export async function readSharedChat({ base }: Pick<Settings, "base">, after: number): Promise<SharedChat> {
  const secret = location.pathname.split("/").findLast((part) => part !== "") ?? "";
  const response = await fetch(new URL(`s/${encodeURIComponent(secret)}/turns?after=${after}`, base));
  if (!response.ok) throw await toApiError(response);
  return (await response.json()) as SharedChat;
}

function queryOf(sessionId: string | undefined): string {
  return sessionId === undefined ? "" : `?sessionId=${encodeURIComponent(sessionId)}`;
}
