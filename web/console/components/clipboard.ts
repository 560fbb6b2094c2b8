/** Copying, also where the browser hides its clipboard (plain http from another machine). */
import { t } from '../i18n'
import { toast } from '../stores/toasts'

export async function copy(text: string): Promise<void> {
  const done = navigator.clipboard ? await written(text) : copiedByHand(text)
  if (done) toast(t('copied'))
  else toast(t('copyFailed'), 'error', t('copyFailedHint'))
}

function written(text: string): Promise<boolean> {
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copiedByHand(text),
  )
}

function copiedByHand(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'hidden-text'
  document.body.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  return done
}
