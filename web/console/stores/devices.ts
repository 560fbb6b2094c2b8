/** The phones on the shelf, pushed by the server at every change, and the chosen one. */
import { reactive } from 'vue'

import { api, send } from '../api/client'
import type { Device, DeviceInfo, DevicePage, Examined, Input } from '../api/types'
import { subscribe } from '../live/hub'
import { session } from './session'

export const devices = reactive({
  items: [] as Device[],
  known: false,
  chosen: localStorage.getItem('serial') ?? '',
})

export function followDevices(): void {
  subscribe('devices', (envelope) => {
    if (envelope.event === 'items') take(envelope.data.items)
  })
}

export async function loadDevices(): Promise<void> {
  take((await api<DevicePage>('/api/devices')).items)
}

function take(items: Device[]): void {
  devices.items = items
  devices.known = true
  if (!device(devices.chosen)) choose(items.find(isFree)?.serial ?? items[0]?.serial ?? '')
}

export function choose(serial: string): void {
  devices.chosen = serial
  localStorage.setItem('serial', serial)
}

export function device(serial: string | null | undefined): Device | undefined {
  return devices.items.find((item) => item.serial === serial)
}

/** What people call a phone; phones of the same name are told apart by their serial. */
export function label(item: Device): string {
  const name = item.alias || item.model || item.serial
  const twin = devices.items.some(
    (other) => other.serial !== item.serial && (other.alias || other.model || other.serial) === name,
  )
  return twin ? `${name} · ${item.hardware_serial || item.serial}` : name
}

/** The name for a serial, also when the phone has gone. */
export function nameOf(serial: string | null | undefined): string {
  const found = device(serial)
  return found ? label(found) : (serial ?? '')
}

/** Whether the phone is in this user's own hands. */
export function isMine(item: Device): boolean {
  return item.lease?.holder === 'human' && item.lease.label === session.user
}

/** Whether an agent could be sent to the phone now. */
export function isFree(item: Device): boolean {
  return item.state === 'ready' && (!item.lease || isMine(item))
}

const at = (serial: string) => `/api/devices/${encodeURIComponent(serial)}`

export const pictureUrl = (serial: string) => `${at(serial)}/screenshot`
export const liveUrl = (serial: string) => `${at(serial)}/live`

export function connect(address: string): Promise<unknown> {
  return send('POST', '/api/devices/connect', { address })
}

export function pair(address: string, code: string): Promise<unknown> {
  return send('POST', '/api/devices/pair', { address, code })
}

/** Name and sort a phone; the list learns of it before the server tells everybody. */
export async function edit(serial: string, change: { alias?: string; tags?: string[] }): Promise<void> {
  replace(serial, await send<Device>('PUT', at(serial), change))
}

/** Keep the PIN of a phone's lock, or forget it with null. */
export async function keepPin(serial: string, pin: string | null): Promise<void> {
  replace(serial, await send<Device>('PUT', `${at(serial)}/pin`, { pin }))
}

function replace(serial: string, changed: Device): void {
  devices.items = devices.items.map((item) => (item.serial === serial ? changed : item))
}

export function reconnect(serial: string): Promise<unknown> {
  return send('POST', `${at(serial)}/reconnect`)
}

export function examine(serial: string): Promise<Examined> {
  return api(`${at(serial)}/doctor`)
}

export async function forget(serial: string): Promise<void> {
  await send('DELETE', at(serial))
  take(devices.items.filter((item) => item.serial !== serial))
}

export function takeOver(serial: string): Promise<unknown> {
  return send('POST', `${at(serial)}/takeover`)
}

export function release(serial: string): Promise<unknown> {
  return send('POST', `${at(serial)}/release`)
}

export function info(serial: string): Promise<DeviceInfo> {
  return api(`${at(serial)}/info`)
}

/** Touch the phone; coordinates are pixels of the device. */
export function input(serial: string, event: Input): Promise<unknown> {
  return send('POST', `${at(serial)}/input`, event)
}
