/** How a phone's state is said and coloured, the same on every page. */
import type { Device } from '../api/types'
import { t } from '../i18n'
import { isMine } from '../stores/devices'

export type Tone = 'good' | 'info' | 'warn' | 'bad' | 'off'

const TONES: Record<Device['state'], Tone> = {
  ready: 'good',
  connecting: 'info',
  unauthorized: 'warn',
  sick: 'warn',
  offline: 'bad',
}

export function tone(item: Device): Tone {
  if (item.state === 'ready' && item.lease) return 'info'
  return TONES[item.state]
}

/** Who holds the phone, for example "AI · run 5f2c"; empty when nobody does. */
export function holderWords(item: Device): string {
  if (!item.lease) return ''
  if (isMine(item)) return t('holder.you')
  const kind = t(`holder.${item.lease.holder}`)
  return item.lease.label ? `${kind} · ${item.lease.label}` : kind
}

/** The state in two or three words, or the holder of a phone that is in use. */
export function stateWords(item: Device): string {
  if (item.state === 'ready' && item.lease) return holderWords(item)
  return t(`state.${item.state}`)
}
