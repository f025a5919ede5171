import { createServer } from "node:http";
import { hostname } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen, readAddress, readHosts } from "./listen.ts";

describe("readAddress", () => {
  it("takes HOST and PORT, and defaults to port 3000 of this machine", () => {
    expect(readAddress({ HOST: "0.0.0.0", PORT: "8080" })).toEqual({ host: "0.0.0.0", port: 8080 });
    expect(readAddress({ HOST: "", PORT: "0" })).toEqual({ host: "127.0.0.1", port: 0 });
    for (const PORT of [undefined, ""]) expect(readAddress({ PORT })).toEqual({ host: "127.0.0.1", port: 3000 });
  });

  it.each(["http", "-1", "65536", "1.5", "1e3", " 80"])("refuses %j as a port", (PORT) => {
    expect(() => readAddress({ PORT })).toThrowError(/^PORT must be an integer from 0 to 65535/);
  });
});

describe("readHosts", () => {
  it("lists this machine's names for itself, HOST and TROUPE_DEMO_HOSTS", () => {
    const own = ["localhost", "127.0.0.1", "[::1]", hostname()];

    expect(readHosts({})).toEqual(own);
    expect(readHosts({ HOST: "fe80::2", TROUPE_DEMO_HOSTS: "" })).toEqual([...own, "[fe80::2]"]);
    expect(readHosts({ HOST: "10.0.0.7", TROUPE_DEMO_HOSTS: " demo.example , demo:8080" })).toEqual([
      ...own,
      "10.0.0.7",
      "demo.example",
      "demo:8080",
    ]);
  });

  it("lists all addresses of this machine when the server listens on all", () => {
    for (const HOST of ["0.0.0.0", "::"]) {
      const hosts = readHosts({ HOST });

      expect(hosts.filter((host) => host === "127.0.0.1").length).toBeGreaterThan(1);
      expect(hosts.every((host) => URL.canParse(`http://${host}`))).toBe(true);
    }
  });
});

describe("listen", () => {
  it.each([
    ["0.0.0.0", "http://127.0.0.1:"],
    ["127.0.0.1", "http://127.0.0.1:"],
  ])("returns for %s a URL by which a program on this machine reaches it", async (host, start) => {
    const server = createServer((_, response) => void response.end("here"));
    onTestFinished(() => void server.close());
    const url = await listen(server, { host, port: 0 });

    expect(url.startsWith(start)).toBe(true);
    expect(await (await fetch(url)).text()).toBe("here");
  });
});
