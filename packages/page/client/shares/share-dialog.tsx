import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SharedLink } from "../../src/shares/shared-chat.ts";
import { strings } from "../strings/strings.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { moveFocus } from "../ui/focus.ts";
import { formatDay } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { plainLine } from "../ui/unseen.ts";
import type { Shares, SharedSession } from "./shares.ts";

const dayMs = 86_400_000;
/** The numbers of days among which the owner of a link chooses, if the host allows them. */
const choices = [1, 7, 30, 90];

export type ShareDialogProps = {
  readonly shares: Shares;
  /** The chat to share; undefined for the links of all chats. */
  readonly session: SharedSession | undefined;
  /** The greatest number of milliseconds for which a link can be read. */
  readonly maxMs: number;
};

/** The dialog that shares a chat by a link, and lists the links that can be read, each of which can be revoked. */
export function ShareDialog({ shares, session, maxMs }: ShareDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { links, failure, address, create, revoke } = useLinks(shares, session);
  const close = () => shares.close();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="keys"
      aria-labelledby="share-title"
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div class="sheet">
        <header>
          <h2 id="share-title">{session === undefined ? strings.shares.all : strings.shares.title}</h2>
          <button
            type="button"
            class="quiet"
            onClick={close}
            aria-label={strings.common.close}
            title={strings.common.close}
          >
            <Icon name="cross" />
          </button>
        </header>
        {session !== undefined && (
          <>
            <p class="file-name">{session.title}</p>
            <NewLink maxMs={maxMs} onCreate={create} />
          </>
        )}
        {address !== undefined && <Address address={address} />}
        {failure !== undefined && (
          <p class="failure" role="alert">
            {failure}
          </p>
        )}
        {links !== undefined && <Links links={links} hasTitles={session === undefined} onRevoke={revoke} />}
      </div>
    </dialog>
  );
}

type Wanted = { readonly lifetimeMs: number; readonly tools: boolean };

/** Returns the links, the address of a link that was just made, and functions that make and revoke links. */
function useLinks(shares: Shares, session: SharedSession | undefined) {
  const [links, setLinks] = useState<readonly SharedLink[]>();
  const [address, setAddress] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const act = async (action: () => Promise<unknown>): Promise<void> => {
    setFailure(undefined);
    try {
      await action();
      setLinks(await shares.list(session?.sessionId));
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  useEffect(() => void act(async () => await Promise.resolve()), []);
  return {
    links,
    failure,
    address,
    create: async (wanted: Wanted) =>
      await act(async () => {
        if (session !== undefined) setAddress((await shares.create(session.sessionId, wanted)).address);
      }),
    revoke: async (link: SharedLink) => await act(async () => await shares.revoke(link)),
  };
}

/** The form for a new link: its end, and what it shows. */
function NewLink({ maxMs, onCreate }: { maxMs: number; onCreate: (wanted: Wanted) => Promise<void> }) {
  const offered = choices.map((days) => days * dayMs).filter((ms) => ms <= maxMs);
  const [lifetimeMs, setLifetime] = useState(offered.findLast((ms) => ms <= 7 * dayMs) ?? maxMs);
  const [tools, setTools] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const create = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await onCreate({ lifetimeMs, tools });
    setBusy(false);
  };
  return (
    <form
      class="new-link"
      aria-label={strings.shares.new}
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <p class="muted">{strings.shares.lead}</p>
      {offered.length > 1 && <EndField {...{ offered, lifetimeMs }} onChoose={setLifetime} />}
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          checked={tools}
          onChange={(event) => setTools(event.currentTarget.checked)}
        />
        <span>
          {strings.shares.tools}
          <small class="muted">{strings.shares.toolsHint}</small>
        </span>
      </label>
      <div class="buttons">
        <button type="submit" class="main" aria-disabled={isBusy}>
          {strings.shares.create}
        </button>
      </div>
    </form>
  );
}

type EndProps = {
  readonly offered: readonly number[];
  readonly lifetimeMs: number;
  readonly onChoose: (lifetimeMs: number) => void;
};

function EndField({ offered, lifetimeMs, onChoose }: EndProps) {
  return (
    <label>
      <span>{strings.shares.endsAfter}</span>
      <select value={lifetimeMs} onChange={(event) => onChoose(Number(event.currentTarget.value))}>
        {offered.map((ms) => (
          <option key={ms} value={ms}>
            {strings.shares.days(ms / dayMs)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The address of a new link, which is shown once. */
function Address({ address }: { address: string }) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [address]);
  return (
    <div class="new-address">
      <input ref={field} readOnly value={address} aria-label={strings.shares.address} dir="ltr" />
      <CopyButton text={address} name={strings.shares.copy} />
      <p class="muted" role="status">
        {strings.shares.once}
      </p>
    </div>
  );
}

type LinksProps = {
  readonly links: readonly SharedLink[];
  readonly hasTitles: boolean;
  readonly onRevoke: (link: SharedLink) => Promise<void>;
};

/** The links that can be read, each with its end. */
function Links({ links, hasTitles, onRevoke }: LinksProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const revoke = async (link: SharedLink): Promise<void> => {
    moveFocus(heading.current, heading.current);
    await onRevoke(link);
  };
  return (
    <section class="links">
      <h3 ref={heading} tabIndex={-1}>
        {strings.shares.links}
      </h3>
      {links.length === 0 && <p class="muted">{strings.shares.none}</p>}
      <ul>
        {links.map((link) => {
          const title = plainLine(link.title ?? "").trim() || strings.common.untitled;
          const made = strings.shares.made(formatDay(link.createdAt));
          return (
            <li key={link.shareId}>
              <span>
                {hasTitles && <span class="file-name">{title}</span>}
                <small class="muted">
                  {made} · {strings.shares.ends(formatDay(link.expiresAt))}
                  {link.hasTools && ` · ${strings.shares.withTools}`}
                </small>
              </span>
              <button
                type="button"
                onClick={() => void revoke(link)}
                aria-label={strings.shares.revokeNamed(hasTitles ? title : made)}
              >
                {strings.shares.revoke}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
