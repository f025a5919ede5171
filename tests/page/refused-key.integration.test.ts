import { Agent, createLogger, InMemoryStorage, TroupeError } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { page } from "@troupe/page";
import { expect, it, onTestFinished } from "vitest";
import { browserUrl, Visit } from "./visit.ts";

it.runIf(browserUrl.startsWith("http"))(
  "a question whose key the vendor refuses leaves no chat in the list, before and after a reload [page.sessions]",
  { timeout: 60_000 },
  async () => {
    const storage = new InMemoryStorage();
    const model = new ScriptedModel().respond(() => {
      throw new TroupeError("unauthorized", "The key was refused.");
    });
    const service = createService({
      agents: { clerk: new Agent({ name: "clerk", model, storage }) },
      storage,
      durable: { sealKeys: ["a secret of at least 32 characters"] },
      logger: createLogger({ level: "silent" }),
      authenticate: () => ({ userId: "ada" }),
    });
    await service.open();
    const { url } = await serve(service, [http(), page()], { port: 0 });
    onTestFinished(async () => {
      await service.close();
      await storage.close();
    });
    const visit = await Visit.open(url, "refused key");
    const { page: shown } = visit;
    await visit.send("Hello?");
    await shown.locator(".turn .failure").waitFor();

    await shown.getByText("Chats that you begin are listed here.").waitFor();
    await shown.reload();
    await shown.getByText("Chats that you begin are listed here.").waitFor();
    expect(await shown.getByText("Untitled").count()).toBe(0);
    expect(await visit.allFaults(url)).toEqual([]);
  },
);
