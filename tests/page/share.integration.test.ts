import { describe, expect, it } from "vitest";
import { servePage } from "./page-service.ts";
import { browserUrl, Visit } from "./visit.ts";
import type { Look } from "./visit.ts";

const looks: readonly [name: string, look: Look][] = [
  ["light and 1280 pixels wide", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
  ["dark and 390 pixels wide", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
];

describe.runIf(browserUrl.startsWith("http"))("a chat shared by a link", { timeout: 180_000 }, () => {
  it.each(looks)(
    "is shared by the keyboard, read by a visitor without signing in, and revoked, %s [page.share] [page.accessible]",
    async (name, look) => {
      const { url } = await servePage();
      const visit = await Visit.open(url, `share ${name}`, look);
      const { page } = visit;
      await visit.ask("helper", "Rain in Oslo?");
      await visit.openChats();
      await page.getByRole("button", { name: "More for Rain in Oslo?" }).press("Enter");
      await page.getByRole("button", { name: "Share by link" }).press("Enter");
      const dialog = page.getByRole("dialog", { name: "Share by link" });
      await dialog.getByText("No link can be read.").waitFor();
      await dialog.getByRole("combobox", { name: "Ends after" }).selectOption("1 day");
      expect(await visit.faults("form")).toEqual([]);
      await dialog.getByRole("button", { name: "Create link" }).press("Enter");
      const address = await dialog.getByRole("textbox", { name: "Address of the link" }).inputValue();
      expect(address).toMatch(new RegExp(`^${url}/s/[\\w-]{43}$`));
      const revoke = dialog.getByRole("button", { name: /^Revoke: Made on/ });
      await revoke.waitFor();
      expect(await visit.faults("link")).toEqual([]);

      const visitor = await Visit.open(address, `shared ${name}`, { ...look, user: null, shows: "Rain in Oslo?" });
      const { page: shared } = visitor;
      await shared.getByText("It rains in Oslo").first().waitFor();
      await shared.getByText("get_weather", { exact: true }).waitFor();
      await shared.getByText("map", { exact: true }).waitFor();
      expect(await shared.title()).toBe("Rain in Oslo? · Troupe");
      expect(await shared.getByRole("textbox").count()).toBe(0);
      expect(await shared.locator(".tool details").count()).toBe(0);
      expect(await visitor.allFaults(url)).toEqual([]);

      await page.bringToFront();
      await revoke.press("Enter");
      await dialog.getByText("No link can be read.").waitFor();
      await dialog.getByRole("button", { name: "Close" }).press("Enter");
      await shared.reload();
      await shared.getByText("This link has ended, or was revoked.").waitFor();
      expect(await visit.allFaults(url)).toEqual([]);
    },
  );
});
