import { seededRandom } from "@troupe-internal/fault-tools";
import { faultOf } from "./visit.ts";
import type { Visited, VisitOptions, VisitResult } from "./visit.ts";

const together = 8;
const dispositions = [
  'form-data; name="files"; filename="a.txt"',
  'form-data; name="files"; filename="a.txt',
  "form-data; name=\"files\"; filename*=UTF-8''%e2%82",
  "form-data; name=files; filename=a b.txt",
  'attachment; name="files"; filename="a.txt"',
  'form-data; filename="a.txt"',
  'form-data; name="files"; filename=""',
  'form-data; name="other"; filename="a.txt"',
  "form-data",
  ";;;",
  "",
];
const types = ["text/plain", "image/png", "application/pdf", "no type", "", "multipart/mixed; boundary=edge"];
const contents = ["abc", "", "\u0000\u0001", "\u00ff\u00fe", "--edge", "x".repeat(70_000), "\r\n\r\n"];
const fields = ["input", "input[]", "__proto__", "sessionId", "userId", "apiKey", "", "files"];
const values = ["What is in this file?", "\u00ff\u00fe", "", '{"type":"text"}', "a".repeat(300)];
const ends = ["--edge--\r\n", "--edge--", "--edge", "", "--edge--\r\nepilogue"];
const edges = [
  "multipart/form-data; boundary=edge",
  'multipart/form-data; boundary="edge"',
  "multipart/form-data",
  "multipart/mixed; boundary=edge",
];

/** A generated form, and whether a file in it is as it should be, so that an answer without the file would have lost it. */
type Form = { readonly bytes: Buffer; readonly type: string };

/**
 * Sends forms of which the most are broken in some place, and judges the answers: what the service cannot take it refuses,
 * and an answer with status 200 tells of each file that was sent.
 */
export async function visitForms({ url }: Visited, { cases, seed }: VisitOptions): Promise<VisitResult> {
  const random = seededRandom(seed);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const faults: string[] = [];
  const makeForm = (): Form => {
    const field = `--edge\r\nContent-Disposition: form-data; name="${one(fields)}"\r\n\r\n${one(values)}\r\n`;
    const input = random() < 0.8 ? '--edge\r\nContent-Disposition: form-data; name="input"\r\n\r\nHello?\r\n' : "";
    const [disposition, type] = [one(dispositions), one(types)];
    const headers = [disposition && `Content-Disposition: ${disposition}`, type && `Content-Type: ${type}`];
    const file = `--edge\r\n${headers.filter((line) => line !== "").join("\r\n")}\r\n\r\n${one(contents)}\r\n`;
    const text = [input, random() < 0.4 ? field : "", random() < 0.8 ? file : "", one(ends)].join("");
    return { bytes: Buffer.from(text, "latin1"), type: one(edges) };
  };
  for (let sent = 0; sent < cases; sent += together) {
    const forms = Array.from({ length: Math.min(together, cases - sent) }, makeForm);
    const answers = await Promise.all(forms.map(async (form) => await post(url, form)));
    answers.forEach(({ status, body }, index) => {
      const sentText = forms[index]?.bytes.toString("latin1") ?? "";
      const fault = faultOf(status, body) ?? lostFile(status, sentText);
      if (fault !== undefined) faults.push(`${fault}\n    sent ${JSON.stringify(sentText.slice(0, 400))}`);
    });
  }
  return { cases, faults };
}

async function post(url: string, { bytes, type }: Form): Promise<{ status: number; body: string }> {
  const headers = { "content-type": type };
  const response = await fetch(`${url}/agents/assistant/run`, { method: "POST", headers, body: bytes });
  return { status: response.status, body: await response.text() };
}

/** A part that is no field and no file of a form must not be left out in silence. */
function lostFile(status: number, sent: string): string | undefined {
  const isOdd = /\r\nContent-Disposition: (attachment|;;;|form-data; name="files"; filename="a\.txt\r)/.test(sent);
  return status < 400 && isOdd ? "took a form, and left out a part of it" : undefined;
}
