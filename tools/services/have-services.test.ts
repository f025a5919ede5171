import { describe, expect, it } from "vitest";
import { haveServices } from "./have-services.ts";
import { MissingServer } from "./service.ts";
import type { Service } from "./service.ts";

class Started {
  readonly running = new Set<string>();

  /** Returns a service that starts and is counted as running. */
  service(name: string): Service {
    return {
      name,
      variable: `${name.toUpperCase()}_URL`,
      start: async () => {
        this.running.add(name);
        return { url: `${name}://started`, stop: async () => void this.running.delete(name) };
      },
    };
  }
}

const absent: Service = {
  name: "absent",
  variable: "ABSENT_URL",
  start: async () => {
    throw new MissingServer("install it");
  },
};

const wanted = { environment: {}, required: [], mayInstall: false };

describe("having services", () => {
  it("starts a service whose address was not given, and stops it", async () => {
    const started = new Started();
    const services = await haveServices([started.service("one")], wanted);

    expect(services).toMatchObject({ addresses: { ONE_URL: "one://started" }, missing: [] });
    await services.stop();
    expect(started.running).toEqual(new Set());
  });

  it("takes a given address and starts nothing", async () => {
    const started = new Started();
    const environment = { ONE_URL: "one://given" };
    const services = await haveServices([started.service("one")], { ...wanted, environment });

    expect(services.addresses).toEqual({ ONE_URL: "one://given" });
    expect(started.running).toEqual(new Set());
  });

  it("names what is missing, and how to have it", async () => {
    const { addresses, missing } = await haveServices([absent, new Started().service("one")], wanted);

    expect(addresses).toEqual({ ABSENT_URL: "", ONE_URL: "one://started" });
    expect(missing).toEqual([{ name: "absent", advice: "install it, or name a running server in ABSENT_URL" }]);
  });

  it("fails when what is missing is required, and stops what it had started", async () => {
    const started = new Started();
    const having = haveServices([started.service("one"), absent], { ...wanted, required: ["absent"] });

    await expect(having).rejects.toThrow("REQUIRED_SERVICES asks for absent, which is missing: install it");
    expect(started.running).toEqual(new Set());
  });

  it("fails when a server that is there does not start", async () => {
    const broken = { ...absent, start: () => Promise.reject(new Error("no memory")) };

    await expect(haveServices([broken], wanted)).rejects.toThrow("no memory");
  });

  it("throws for a required service that does not exist", async () => {
    await expect(haveServices([absent], { ...wanted, required: ["postgre"] })).rejects.toThrow(
      "Expected some of absent",
    );
  });
});
