import { createElement } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { SharedLink } from "../../src/shares/shared-chat.ts";
import { showOnPage } from "../test/fake-page.ts";
import { ShareDialog } from "./share-dialog.tsx";
import type { ShareDialogProps } from "./share-dialog.tsx";
import { Shares } from "./shares.ts";

const day = 86_400_000;
const link: SharedLink = {
  shareId: "a1",
  sessionId: "s/é",
  title: "Le phare",
  createdAt: 0,
  expiresAt: day,
  lastTurn: 1,
  hasTools: true,
};
const asked: string[] = [];
let links: SharedLink[] = [];
let failure: string | undefined;

beforeEach(() => {
  asked.length = 0;
  links = [link];
  failure = undefined;
  vi.stubGlobal("document", { activeElement: null });
  vi.stubGlobal("fetch", async (url: URL, { method = "GET", body = "" }: RequestInit = {}) => {
    asked.push(`${method} ${url.pathname}${url.search} ${body as string}`.trim());
    if (failure !== undefined) {
      const error = { error: { code: "conflict", message: failure } };
      return await Promise.resolve(Response.json(error, { status: 409 }));
    }
    if (method === "POST") return Response.json({ share: link, secret: "geheim" }, { status: 201 });
    if (method === "DELETE") links = [];
    return method === "DELETE" ? new Response(null, { status: 204 }) : Response.json({ shares: links });
  });
});

afterEach(() => void vi.unstubAllGlobals());

const shares = () => new Shares({ base: new URL("http://localhost/page/") });
const settle = async () => await act(async () => await new Promise((resolve) => setTimeout(resolve, 5)));

async function show(props: Partial<ShareDialogProps> = {}) {
  const session = { sessionId: "s/é", title: "Le phare" };
  const given = { shares: shares(), session, maxMs: 30 * day, ...props };
  const shown = showOnPage((all: ShareDialogProps) => createElement(ShareDialog, all), given);
  await settle();
  return { ...shown, shares: given.shares };
}

it("lists the links of a chat, and makes one whose address is shown once [page.share]", async () => {
  const { body } = await show();
  expect(asked).toEqual(["GET /page/shares?sessionId=s%2F%C3%A9"]);
  expect(body.all("option").map(({ text }) => text)).toEqual(["1 day", "7 days", "30 days"]);
  body.one("form").fire("submit");
  await settle();

  expect(asked[1]).toBe(`POST /page/shares {"sessionId":"s/é","lifetimeMs":${7 * day},"tools":false}`);
  expect(body.one("Address of the link").attributes["value"] ?? body.one("Address of the link").value).toBe(
    "http://localhost/page/s/geheim",
  );
  expect(body.text).toContain("with tools");
});

it("shares what tools did for as long as its owner chooses, within the bound of the host", async () => {
  const { body } = await show({ maxMs: 2 * day });
  expect(body.all("select")).toEqual([]);
  const [tools] = body.all("input");
  tools?.fire("change", { currentTarget: { checked: true } });
  body.one("form").fire("submit");
  await settle();

  expect(asked[1]).toBe(`POST /page/shares {"sessionId":"s/é","lifetimeMs":${day},"tools":true}`);
});

it("revokes a link, and tells what has failed", async () => {
  const { body } = await show({ session: undefined });
  expect(asked).toEqual(["GET /page/shares"]);
  expect(body.one("h2").text).toBe("Shared links");
  body.one("Revoke: Le phare").click();
  await settle();
  expect(asked.slice(1)).toEqual(["DELETE /page/shares/a1?sessionId=s%2F%C3%A9", "GET /page/shares"]);
  expect(body.text).toContain("No link can be read.");
  failure = "There are 100 shares already.";
  links = [link];
  const { body: other } = await show();
  expect(other.text).toContain("There are 100 shares already.");
});

it("is closed by its button and beside the sheet", async () => {
  const { body, shares: opened } = await show();
  opened.open();
  body.one("Close").click();
  expect(opened.state.isOpen).toBe(false);
  opened.open({ sessionId: "s", title: "t" });
  expect(opened.state).toEqual({ isOpen: true, session: { sessionId: "s", title: "t" } });
  body.one("dialog").fire("click", { target: body.one("form") });
  expect(opened.state.isOpen).toBe(true);
  const dialog = body.one("dialog");
  dialog.fire("click", { target: dialog });
  expect(opened.state.isOpen).toBe(false);
});
