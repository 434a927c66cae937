file /etc/sysctl.d/a.conf
/etc/sysctl.d/a.conf:1:x = /etc/sysctl.d/99-zz-pdprov-sysctl.vm.conf:1:vm/max_map_count = 262144
end
