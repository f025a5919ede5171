import { createElement } from "preact";
import { describe, expect, it, vi } from "vitest";
import type { RunnableInfo } from "@troupe-internal/client";
import { showOnPage } from "../test/fake-page.ts";
import { Composer } from "./composer.tsx";

const declared = (name: string, properties: object, required: string[] = []): RunnableInfo => ({
  kind: "workflow",
  name,
  input: ["object", "text"],
  inputSchema: { type: "object", properties, required },
});
const mailing = declared(
  "mailing",
  {
    city: { type: "string", title: "Ville\u202eé", description: "Où?", minLength: 2 },
    days: { type: "integer", default: 2 },
    isDry: { type: "boolean" },
    language: { enum: ["de", "é"] },
    more: { type: "object" },
  },
  ["city"],
);
const other = declared("other", { note: { type: "array", items: { type: "string" } } });
const poet: RunnableInfo = { kind: "agent", name: "poet", input: ["text", "parts"] };

function show(change: Partial<Parameters<typeof Composer>[0]> = {}) {
  const onSend = vi.fn<(text: string, files: File[], fields?: object) => void>();
  const shown = showOnPage((props: Parameters<typeof Composer>[0]) => createElement(Composer, props), {
    runnables: [mailing, other, poet],
    chosen: mailing,
    example: { city: "Oslo" },
    isAnswering: false,
    isReplacing: false,
    onChoose: () => undefined,
    onStop: () => undefined,
    onSend,
    ...change,
  });
  const group = () => shown.body.one("Input of mailing");
  const control = (id: number) => shown.body.all("*").find(({ attributes }) => attributes["id"] === `field-${id}`);
  const write = (id: number, value: string) => {
    const element = control(id);
    if (element === undefined) throw new Error(`There is no field ${id}.`);
    element.value = value;
    element.fire(element.localName === "select" ? "change" : "input");
  };
  const submit = () => shown.body.one("form").fire("submit");
  const alerts = () => shown.body.all("small").filter(({ attributes }) => attributes["role"] === "alert");
  return { ...shown, onSend, group, control, write, submit, alerts };
}

describe("the form of a workflow that declares its input", () => {
  it("has a control for each property, with its label, hint, bounds and default, and no field for a text", () => {
    const { body, group, control } = show();

    expect(body.all("Your question")).toEqual([]);
    expect(
      group()
        .all("label")
        .map(({ text }) => text),
    ).toEqual([
      "Ville é", // without the character that turns the direction of writing
      "Days (optional)",
      "Is dry",
      "Language (optional)",
      "More (optional)",
    ]);
    expect(control(0)?.attributes).toMatchObject({
      minLength: "2",
      required: "true",
      "aria-describedby": "field-0-hint",
    });
    expect(control(1)?.value).toBe("2");
    expect(
      control(3)
        ?.all("option")
        .map(({ text }) => text),
    ).toEqual(["None", "de", "é"]);
    expect(control(4)?.localName).toBe("textarea");
  });

  it("sends the fields, and their lines as the question, and stays filled in", () => {
    const { onSend, write, submit, control } = show();
    write(0, "Ålesund");
    write(3, "1");
    control(2)?.fire("change", { currentTarget: { checked: true } });
    expect(submit()).toBe(true);

    const fields = { city: "Ålesund", days: 2, isDry: true, language: "é" };
    expect(onSend.mock.calls).toEqual([["city: Ålesund\ndays: 2\nisDry: true\nlanguage: é", [], fields]]);
    expect(control(0)?.value).toBe("Ålesund");
  });

  it("is not sent with a field that cannot be read, whose fault is told until the field is changed", () => {
    const { onSend, write, submit, control, alerts } = show();
    write(4, "{");
    submit();

    expect(onSend).not.toHaveBeenCalled();
    expect(alerts().map(({ text }) => text)).toEqual(["Ville é is missing.", "More must be JSON."]);
    expect(control(4)?.attributes).toMatchObject({ "aria-invalid": "true", "aria-describedby": "field-4-fault" });
    expect(control(0)?.attributes["aria-describedby"]).toBe("field-0-hint field-0-fault");
    write(4, "{}");
    expect(alerts().map(({ text }) => text)).toEqual(["Ville é is missing."]);
    write(0, "Oslo");
    submit();
    expect(onSend.mock.lastCall?.[2]).toEqual({ city: "Oslo", days: 2, more: {} });
  });

  it("is not sent while a turn is replaced", () => {
    const { onSend, write, submit } = show({ isReplacing: true });
    write(0, "Oslo");
    submit();
    expect(onSend).not.toHaveBeenCalled();
  });

  it("leaves its room to the steps while the workflow runs, and is as it was afterwards", () => {
    const { onSend, write, submit, showWith, control } = show();
    write(0, "Oslo");
    showWith({ isAnswering: true });
    expect(control(0)).toBeUndefined();
    submit();
    expect(onSend).not.toHaveBeenCalled();
    showWith({ isAnswering: false });
    expect(control(0)?.value).toBe("Oslo");
  });

  it("keeps what was filled in, for each workflow, while another is chosen, and gives way to the field for a text", () => {
    const { body, showWith, write, control } = show();
    write(0, "Oslo");
    showWith({ chosen: other });
    expect(control(0)?.value).toBe("");
    write(0, "a\nb");
    showWith({ chosen: poet });
    expect(body.one("Your question").localName).toBe("textarea");
    showWith({ chosen: mailing });
    expect(control(0)?.value).toBe("Oslo");
    showWith({ chosen: other });
    expect(control(0)?.value).toBe("a\nb");
  });
});
