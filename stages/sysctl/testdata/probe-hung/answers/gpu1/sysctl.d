file /etc/sysctl.conf
file /etc/sysctl.d/99-sysctl.conf
file /usr/lib/sysctl.d/50-pid-max.conf
file /usr/lib/sysctl.d/99-protect-links.conf
/etc/sysctl.conf:1:# /etc/sysctl.conf - Configuration file for setting system variables
/etc/sysctl.conf:2:
/etc/sysctl.conf:3:#net.ipv4.ip_forward=1
/etc/sysctl.d/99-sysctl.conf:1:# /etc/sysctl.conf - Configuration file for setting system variables
/etc/sysctl.d/99-sysctl.conf:2:
/etc/sysctl.d/99-sysctl.conf:3:#net.ipv4.ip_forward=1
/usr/lib/sysctl.d/50-pid-max.conf:1:kernel.pid_max = 4194304
/usr/lib/sysctl.d/99-protect-links.conf:1:fs.protected_fifos = 1
/usr/lib/sysctl.d/99-protect-links.conf:2:fs.protected_hardlinks = 1
end
