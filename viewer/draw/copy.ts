// Copying text: the clipboard where the browser allows it, else the old way, else a dialog to copy from by hand.
import { button, el } from "./dom";

export async function copyText(text: string): Promise<"copied" | "shown"> {
  if ((await copiedByClipboard(text)) || copiedBySelection(text)) return "copied";
  showForHand(text);
  return "shown";
}

async function copiedByClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no permission, or a page without a secure origin
  }
}

function copiedBySelection(text: string): boolean {
  const area = el("textarea", { readonly: true, class: "offscreen", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  // Deprecated, and the only way left in a page that was opened as a file in an older browser.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

function showForHand(text: string): void {
  const area = el("textarea", { readonly: true, rows: 16, "aria-label": "JSON to copy" });
  area.value = text;
  const close = button("Close", {}, () => {
    dialog.close();
    dialog.remove();
  });
  const dialog = el(
    "dialog",
    {},
    el("p", {}, "This browser does not let a page copy. Select and copy:"),
    area,
    close,
  );
  document.body.append(dialog);
  dialog.showModal();
  area.select();
}
