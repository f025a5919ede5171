/** Makes a PDF with one line or more of text on each page. */
export function makePdf(pages: readonly (readonly string[])[], title = "A title"): Uint8Array {
  const objects: string[] = [];
  const add = (object: string): number => objects.push(object);
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(" ");
  add("<< /Type /Catalog /Pages 2 0 R >>");
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (const [index, lines] of pages.entries()) {
    const content = lines.map((line, at) => `1 0 0 1 72 ${720 - 14 * at} Tm (${escapePdf(line)}) Tj`).join("\n");
    const stream = `BT /F1 12 Tf\n${content}\nET`;
    const resources = "/Resources << /Font << /F1 3 0 R >> >>";
    add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${5 + 2 * index} 0 R >>`);
    add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  }
  const info = add(`<< /Title (${escapePdf(title)}) >>`);
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  text += `trailer << /Size ${objects.length + 1} /Root 1 0 R /Info ${info} 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

function escapePdf(text: string): string {
  return text.replace(/[\\()]/g, (character) => `\\${character}`);
}
