// Whether an administrator at this device has put off the questions about the shop.
import { DeviceSwitch } from './device-switch.ts';

export const shopLater = new DeviceSwitch('shop-later', false);
