import { Resolver } from "node:dns/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import type { ChatMessage } from "../base/message/message.ts";
import { PrivateUrls } from "./private-urls.ts";

const notFound = Object.assign(new Error("no such name"), { code: "ENOTFOUND" });

/** Has the name server answer with these addresses. Returns the names that it is asked for. */
function answerBy(addresses: (name: string) => readonly string[]): string[] {
  const names: string[] = [];
  const answer = (isWanted: (address: string) => boolean) => async (name: string) => {
    names.push(name);
    const found = addresses(name).filter(isWanted);
    if (found.length === 0) throw notFound;
    return found;
  };
  const ofV4 = vi.spyOn(Resolver.prototype, "resolve4").mockImplementation(answer((each) => !each.includes(":")));
  const ofV6 = vi.spyOn(Resolver.prototype, "resolve6").mockImplementation(answer((each) => each.includes(":")));
  onTestFinished(() => {
    ofV4.mockRestore();
    ofV6.mockRestore();
  });
  return names;
}

function shown(...urls: readonly string[]): ChatMessage {
  return { role: "user", content: urls.map((data) => ({ type: "image", data }) as const) };
}

async function privateOf(...urls: readonly string[]): Promise<string[]> {
  const isPrivate = await new PrivateUrls().check([shown(...urls)]);
  return urls.filter((url) => isPrivate(new URL(url)));
}

it.each([
  ["10.0.0.7"],
  ["93.184.215.14", "169.254.169.254"],
  ["::1"],
  ["2606:2800:21f:cb07:6820:80da:af6b:8b2c", "fd00::1"],
  ["93.184.215.14", "::ffff:10.0.0.1"],
])("a name with the addresses %s %s is private", async (...addresses) => {
  answerBy(() => addresses);

  expect(await privateOf("https://images.example.com/a.png", "HTTPS://Images.Example.com:8443/b.png")).toHaveLength(2);
});

it("a name with public addresses alone, and one that is not known, are public", async () => {
  answerBy((name) => (name.startsWith("here") ? ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"] : []));

  expect(await privateOf("https://here.example.com/a.png", "https://nowhere.example.com/a.png")).toEqual([]);
});

it("no name server is asked for addresses, names of a local network, texts and data", async () => {
  const names = answerBy(() => ["10.0.0.7"]);
  const text = { role: "user", content: "See https://images.example.com." } as const;
  const isPrivate = await new PrivateUrls().check([
    text,
    shown(
      "http://8.8.8.8/a.png",
      "http://[2606:2800::1]/a.png",
      "http://127.1/a",
      "http://printer.local/a",
      "iVBORw0KGgo=",
    ),
  ]);

  expect(names).toEqual([]);
  expect(isPrivate(new URL("http://printer.local/a"))).toBe(true);
  expect(isPrivate(new URL("http://8.8.8.8/a.png"))).toBe(false);
});

it("no name server is asked and no URL is private where any URL is allowed", async () => {
  const names = answerBy(() => ["10.0.0.7"]);
  const isPrivate = await new PrivateUrls(true).check([shown("https://images.example.com/a.png")]);

  expect(isPrivate(new URL("http://10.0.0.1/a.png"))).toBe(false);
  expect(names).toEqual([]);
});

it("a name is asked for once a minute", async () => {
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  let address = "93.184.215.14";
  const names = answerBy(() => [address]);
  const urls = new PrivateUrls();
  const url = "https://images.example.com/a.png";
  const isFound = async () => (await urls.check([shown(url)]))(new URL(url));

  expect(await isFound()).toBe(false);
  address = "10.0.0.7";
  vi.advanceTimersByTime(40_000);
  expect(await isFound()).toBe(false);
  expect(names).toHaveLength(2);
  vi.advanceTimersByTime(21_000);
  expect(await isFound()).toBe(true);
});

it.each([
  ["both lookups fail", ["resolve4", "resolve6"]],
  ["the lookup of its private address fails", ["resolve4"]],
] as const)("a name is asked for again after five seconds when %s", async (_what, failing) => {
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const names = answerBy(() => ["10.0.0.7"]);
  const spies = failing.map((method) =>
    vi.spyOn(Resolver.prototype, method).mockRejectedValue(Object.assign(new Error("no answer"), { code: "ETIMEOUT" })),
  );
  const urls = new PrivateUrls();
  const url = "https://images.example.com/a.png";
  const isFound = async () => (await urls.check([shown(url)]))(new URL(url));

  expect(await isFound()).toBe(false);
  vi.advanceTimersByTime(4000);
  expect(await isFound()).toBe(false);
  for (const spy of spies) expect(spy).toHaveBeenCalledOnce();
  for (const spy of spies) spy.mockResolvedValue(["10.0.0.7"]);
  vi.advanceTimersByTime(1001);
  expect(await isFound()).toBe(true);
  vi.advanceTimersByTime(50_000);
  expect(await isFound()).toBe(true);
  for (const spy of spies) expect(spy).toHaveBeenCalledTimes(2);
  expect(names.length).toBeLessThanOrEqual(2);
});

it("beyond 100 names of one call, names count as private unasked", async () => {
  const names = answerBy(() => ["93.184.215.14"]);
  const urls = Array.from({ length: 102 }, (_, index) => `https://n${index}.example.com/a.png`);

  expect(await privateOf(...urls)).toEqual(urls.slice(100));
  expect(new Set(names).size).toBe(100);
});

it("the names of the newest message are looked up before those of a long conversation", async () => {
  answerBy(() => ["93.184.215.14"]);
  const old = Array.from({ length: 100 }, (_, index) => shown(`https://n${index}.example.com/a.png`));
  const isPrivate = await new PrivateUrls().check([...old, shown("https://new.example.com/a.png")]);

  expect(isPrivate(new URL("https://new.example.com/a.png"))).toBe(false);
  expect(isPrivate(new URL("https://n1.example.com/a.png"))).toBe(false);
  expect(isPrivate(new URL("https://n0.example.com/a.png"))).toBe(true);
});
