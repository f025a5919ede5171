import { packParts } from "../src/zip-parts.ts";

const xml = (text: string) => Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${text}`);

const main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const types = "application/vnd.openxmlformats-officedocument.wordprocessingml";
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** Writes a paragraph of WordprocessingML, in a style if one is given. */
export function paragraph(text: string, style?: string): string {
  const properties = style === undefined ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

/** Returns the parts of a DOCX document with this body, as XML by path. */
export function docxParts(body: string, title = ""): Record<string, Buffer> {
  const style = (id: string, name: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
  const styles = [1, 2, 3].map((level) => style(`H${level}`, `heading ${level}`)).join("") + style("T", "Title");
  return {
    "[Content_Types].xml": xml(
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${types}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="${types}.styles+xml"/></Types>`,
    ),
    "_rels/.rels": xml(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    "word/_rels/document.xml.rels": xml(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    ),
    "word/styles.xml": xml(`<w:styles xmlns:w="${main}">${styles}</w:styles>`),
    "word/document.xml": xml(`<w:document xmlns:w="${main}"><w:body>${body}</w:body></w:document>`),
    "docProps/core.xml": xml(
      `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></cp:coreProperties>`,
    ),
  };
}

/** Makes a DOCX document without compression. Further parts replace those of the same path. */
export function makeDocx(body: string, title?: string, further: Record<string, Uint8Array> = {}): Uint8Array {
  const parts = Object.entries({ ...docxParts(body, title), ...further });
  return packParts(parts.map(([name, bytes]) => ({ name, bytes })));
}
