/** The drawing of Markdown, the largest part of the console: it comes with the first conversation. */
import { shallowRef } from 'vue'

export const drawing = shallowRef<typeof import('./blocks') | null>(null)

export async function loadDrawing(): Promise<void> {
  drawing.value ??= await import('./blocks')
}
