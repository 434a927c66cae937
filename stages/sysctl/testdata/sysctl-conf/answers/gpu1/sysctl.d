file /etc/sysctl.d/99-zz-pdprov-sysctl.vm.conf
file /etc/sysctl.conf
file /usr/lib/sysctl.d/50-pid-max.conf
file /usr/lib/sysctl.d/99-protect-links.conf
/etc/sysctl.d/99-zz-pdprov-sysctl.vm.conf:1:# Written by pdprov; the next apply replaces it.
/etc/sysctl.d/99-zz-pdprov-sysctl.vm.conf:2:net/ipv4/tcp_rmem = 4096 131072 6291456
/etc/sysctl.d/99-zz-pdprov-sysctl.vm.conf:3:vm/max_map_count = 262144
/etc/sysctl.conf:1:vm.max_map_count = 65530
/usr/lib/sysctl.d/50-pid-max.conf:1:kernel.pid_max = 4194304
/usr/lib/sysctl.d/99-protect-links.conf:1:fs.protected_fifos = 1
/usr/lib/sysctl.d/99-protect-links.conf:2:fs.protected_hardlinks = 1
end
